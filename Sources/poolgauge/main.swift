print("poolgauge")
