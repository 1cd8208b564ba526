"""Der Hohe Rat by Volker Hesselmann, for two players or four in two teams."""
